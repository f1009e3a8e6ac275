"""Tasks, manifests and cases: data in, frozen types out."""
