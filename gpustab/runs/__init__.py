"""Many runs over one vocabulary: how they are joined, stored in run sets, and read."""
