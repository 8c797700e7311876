"""`shoal init`: look at data nobody has described yet and propose roles and hierarchies for a person to confirm."""

from shoal.release.suggest.recipe_text import write_recipe
from shoal.release.suggest.roles import suggest
from shoal.release.suggest.summary import ColumnSummary, Suggestion

__all__ = ["ColumnSummary", "Suggestion", "suggest", "write_recipe"]
