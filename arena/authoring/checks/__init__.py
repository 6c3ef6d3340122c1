"""What every game must do: each check yields one line for each thing that is wrong."""
