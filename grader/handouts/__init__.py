"""Make what students get from the reference: stubs, notebooks, demos and translations."""
