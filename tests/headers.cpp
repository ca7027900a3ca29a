// Nothing but what large headers are precompiled for.
int main() { return 0; }
