"""Reading a driver's question, and answering it from the stored data without a model."""
