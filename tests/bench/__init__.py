"""How fast tmplgen is, and how large what it makes."""
