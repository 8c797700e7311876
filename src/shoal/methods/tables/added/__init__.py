"""What a method of another package sees of a table, and how what it decided is measured."""
