"""Object stores and the web, opened by this process: no Spark is needed. No recipe holds credentials."""
