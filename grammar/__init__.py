"""The grammar of rule files, `qrule.lark`, as package data."""
