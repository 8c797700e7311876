"""A release that is made to be looked at and not published: before and after, side by side."""
