"""Methods side by side, in words and as a picture, whatever the data are."""
