"""Drawing: SVG as text, and what several pictures have in common."""
