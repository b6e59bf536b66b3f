/* A library with nothing in it. */
int fake_nothing;
