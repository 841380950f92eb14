/* In the place of what gcc links first with -fsanitize=thread. */
typedef int nothing;
