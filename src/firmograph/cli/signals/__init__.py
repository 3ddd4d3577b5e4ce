"""`firmograph signals`: what was detected, for whoever runs the installation."""
