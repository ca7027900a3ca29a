/* A shared object that is no plugin: it exports nothing. */
static int nothing(void) { return 0; }

/* Keeps the function, hence the object, from being empty. */
static int (*const kKeep)(void) __attribute__((used)) = nothing;
