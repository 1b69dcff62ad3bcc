"""Is a rule right?"""
