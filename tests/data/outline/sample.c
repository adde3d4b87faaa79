/* Sells things. */
#include <stdio.h>
#include "shop.h"

#define LIMIT 3 /* how many at once */
#define MAX(a, b) \
  ((a) > (b) ? (a) : (b))

typedef struct Shop Shop;
typedef unsigned int u32;
typedef int (*callback)(void *, int);

/* A shop. */
struct Shop {
  const char *name; /* over the door */
  int stock[LIMIT][2], count;
  callback on_sale;
  int (*compare)(const void *, const void *);
  struct {
    int deep;
  } inner;
};

typedef enum { RED, GREEN = 2 } Color;

typedef struct {
  int x, y;
} Point;

static const u32 table[] = {1, 2, 3};
extern int shared;
static int (*hook)(void) = 0;

int declared(const char *name);
static char *also_declared(void);

#ifdef WIDE
static long width(void) {
  return 8;
}
#else
static int width(void) {
  return 4;
}
#endif

/*
** Look for something.
*/
static struct Shop *find(
  const char *name, /* whose */
  u32 flags
){
  int local = 1;
#ifdef DEBUG
  if( local ){
#else
  if( flags ){
#endif
    local = 2;
  }
  return 0;
}

int main(int argc, char **argv) { return 0; }
