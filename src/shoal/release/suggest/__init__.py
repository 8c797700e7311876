"""`shoal init`: look at data nobody has described yet and propose roles and hierarchies for a person to confirm."""
