/* Replaces the object that gcc links first with -fsanitize=thread. */
typedef int nothing;
