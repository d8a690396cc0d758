#include "CKeylineGTK.h"
#include <glib-unix.h>
#include <unistd.h>

#ifdef __linux__
#include <stdint.h>

// What Foundation's run loop uses as well: a descriptor that becomes readable when the main queue has
// work, and a function that does the work.
extern int _dispatch_get_main_queue_handle_4CF(void);
extern void _dispatch_main_queue_callback_4CF(void *message);

static gboolean serve(gint descriptor, GIOCondition condition, gpointer data) {
  (void)condition, (void)data;
  uint64_t count;
  if (read(descriptor, &count, sizeof count) < 0) { /* Another wake-up took it. */
  }
  _dispatch_main_queue_callback_4CF(NULL);
  return G_SOURCE_CONTINUE;
}

void keyline_serve_main_queue(void) {
  static gsize is_served = 0;
  if (g_once_init_enter(&is_served)) {
    g_unix_fd_add_full(G_PRIORITY_DEFAULT, _dispatch_get_main_queue_handle_4CF(), G_IO_IN, serve, NULL,
                       NULL);
    g_once_init_leave(&is_served, 1);
  }
}
#else
// GTK's backend for macOS runs the application's own loop, which serves the main queue.
void keyline_serve_main_queue(void) {}
#endif

typedef struct {
  gboolean (*work)(gpointer);
  gpointer data;
  void (*destroy)(gpointer);
} Scheduled;

static gboolean run(gpointer data) {
  Scheduled *scheduled = data;
  return scheduled->work(scheduled->data);
}

static void release(gpointer data) {
  Scheduled *scheduled = data;
  scheduled->destroy(scheduled->data);
  g_free(scheduled);
}

GSource *keyline_schedule(gint64 delay, gboolean (*work)(gpointer data), gpointer data,
                          void (*destroy)(gpointer data)) {
  Scheduled *scheduled = g_new(Scheduled, 1);
  *scheduled = (Scheduled){work, data, destroy};
  GSource *source;
  if (delay < 0) {
    source = g_idle_source_new();
    g_source_set_priority(source, G_PRIORITY_DEFAULT);
  } else {
    // Counts milliseconds of 32 bits; the time that is set instead counts microseconds of 64.
    source = g_timeout_source_new(G_MAXUINT);
    gint64 now = g_get_monotonic_time();
    g_source_set_ready_time(source, delay > G_MAXINT64 - now ? G_MAXINT64 : now + delay);
  }
  g_source_set_callback(source, run, scheduled, release);
  g_source_attach(source, NULL);
  return source;
}

void keyline_cancel(GSource *source) {
  g_source_destroy(source);
  g_source_unref(source);
}
