// What Swift cannot say to GObject: subclasses, interfaces and macros.
#pragma once

#include <gtk/gtk.h>

// Connects `handler` to a signal of any number of arguments. It is called with `data` only, and returns the
// result of a signal that has one; `destroy` releases `data` when the handler is disconnected or the object
// dies.
gulong keyline_connect(gpointer object, const char *signal, gboolean (*handler)(gpointer data),
                       gpointer data, void (*destroy)(gpointer data));

// The kinds of values that Swift has types for.
typedef enum {
  KEYLINE_TEXT,
  KEYLINE_BOOLEAN,
  KEYLINE_INTEGER,   // of any size, and enumerations
  KEYLINE_POSITION,  // in a list: GTK_INVALID_LIST_POSITION for none
  KEYLINE_NUMBER,
} KeylineKind;

// The type in which values of the kind are passed.
GType keyline_kind_type(KeylineKind kind);

typedef enum { KEYLINE_USABLE, KEYLINE_UNKNOWN, KEYLINE_READ_ONLY, KEYLINE_MISMATCH } KeylineUse;

// Whether the property `name` has values of the kind, and may be set. `type` receives the name of its type.
KeylineUse keyline_use_of_property(gpointer object, const char *name, KeylineKind kind,
                                   gboolean is_written, const char **type);

// The name of the object's class.
const char *keyline_class_name(gpointer object);

// Takes a widget out of its parent, whose class decides how.
void keyline_remove_from_parent(GtkWidget *child);

// A list model whose elements are asked for by position. It makes an object for an element when it is
// asked for, and keeps none: rows exist for what is visible. A moved element keeps its row, and stays
// selected.
typedef struct {
  // Called with `data`: the number of elements, and an element, retained.
  guint (*count)(gpointer data);
  gpointer (*element)(gpointer data, guint position);
  // The identity of an element, which has one row as long as GTK needs it; NULL for elements without.
  gpointer (*identity)(gpointer data, guint position);
  // Releases an element; releases `data`.
  void (*release_element)(gpointer element);
  void (*release)(gpointer data);
} KeylineListCallbacks;

GListModel *keyline_list_model_new(KeylineListCallbacks callbacks, gpointer data);

// The element of a row of such a list.
gpointer keyline_row_element(gpointer row);

// A factory of rows: `bind` is called with `data`, the element of a row of such a list, and the item that
// gets a child. The child is dropped when the row is scrolled away. `release` releases `data`.
GtkListItemFactory *keyline_factory_new(void (*bind)(gpointer data, gpointer element,
                                                     GtkListItem *item),
                                        gpointer data, void (*release)(gpointer data));

// Makes Dispatch's main queue a source of GLib's default context, so that the queue is served while GLib
// runs: `DispatchQueue.main`, and tasks of the main actor.
void keyline_serve_main_queue(void);

// Calls `work` with `data` in a later turn of GLib's default context, in the order of the calls, or when
// `delay` microseconds have passed if it is not negative. From any thread. Then releases `data`.
//
// Returns: the source, retained, for keyline_cancel.
GSource *keyline_schedule(gint64 delay, gboolean (*work)(gpointer data), gpointer data,
                          void (*destroy)(gpointer data));

// Prevents the call of a source, and releases the source.
void keyline_cancel(GSource *source);

// Whether objects of the class emit the signal, `name` or `name::detail`, and have the property of a
// `notify::property`.
gboolean keyline_has_signal(gpointer object, const char *signal);

// Emits a signal without arguments.
void keyline_emit(gpointer object, const char *signal);

// Whether a window is visible.
gboolean keyline_has_visible_window(void);
