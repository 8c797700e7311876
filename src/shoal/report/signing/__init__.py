"""What is said to somebody who signs a release, and of the signature."""
