// What Swift cannot say to GObject: subclasses, interfaces and macros.
#pragma once

#include <gtk/gtk.h>

// Connects `handler` to a signal of any number of arguments. It is called with `data` only; `destroy`
// releases `data` when the handler is disconnected or the object dies.
gulong keyline_connect(gpointer object, const char *signal, void (*handler)(gpointer data),
                       gpointer data, void (*destroy)(gpointer data));

// The type of the property `name`; 0 if the class has none. `fundamental` receives the fundamental type.
GType keyline_property_type(gpointer object, const char *name, GType *fundamental,
                            gboolean *is_writable);

// The name of the object's class.
const char *keyline_class_name(gpointer object);

// The object that the pointer is; for the types that Swift imports without their superclass.
static inline GtkWidget *keyline_widget(gpointer object) { return GTK_WIDGET(object); }

// A list model whose elements are asked for by position. It makes an object for an element when it is
// asked for, and keeps none: rows exist for what is visible.
typedef struct {
  // Called with `data`: the number of elements, and an element, retained.
  guint (*count)(gpointer data);
  gpointer (*element)(gpointer data, guint position);
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
GSource *keyline_schedule(gint64 delay, void (*work)(gpointer data), gpointer data,
                          void (*destroy)(gpointer data));

// Prevents the call of a source, and releases the source.
void keyline_cancel(GSource *source);

// Whether objects of the class emit the signal, `name` or `name::detail`.
gboolean keyline_has_signal(gpointer object, const char *signal);

// Emits a signal without arguments.
void keyline_emit(gpointer object, const char *signal);

static const GType keyline_type_string = G_TYPE_STRING;
static const GType keyline_type_boolean = G_TYPE_BOOLEAN;
static const GType keyline_type_int = G_TYPE_INT;
static const GType keyline_type_uint = G_TYPE_UINT;
static const GType keyline_type_long = G_TYPE_LONG;
static const GType keyline_type_ulong = G_TYPE_ULONG;
static const GType keyline_type_int64 = G_TYPE_INT64;
static const GType keyline_type_uint64 = G_TYPE_UINT64;
static const GType keyline_type_enum = G_TYPE_ENUM;
static const GType keyline_type_double = G_TYPE_DOUBLE;
static const GType keyline_type_float = G_TYPE_FLOAT;
