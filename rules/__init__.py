"""The stock rules: one .qrule file per operator family."""
