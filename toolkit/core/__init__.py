"""What every method stands on, arrays in and arrays out; private: import paths here may change."""
