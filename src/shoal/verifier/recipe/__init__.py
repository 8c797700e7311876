"""What a recipe says, read by the verifier itself."""
