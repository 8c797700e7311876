"""How many people are unique in the whole population, estimated from the records and the size of the population alone."""
