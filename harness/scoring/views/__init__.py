"""Views: the tables that one scoring can be shown as, a module each."""
