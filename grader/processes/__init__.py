"""The clean processes that fork judges and workers around a warm torch."""
