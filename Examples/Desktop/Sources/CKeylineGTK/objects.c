#include "CKeylineGTK.h"

// A closure without arguments: a marshaller of its own leaves the signal's arguments out.
static void marshal(GClosure *closure, GValue *result, guint count, const GValue *values, gpointer hint,
                    gpointer marshal_data) {
  (void)count, (void)values, (void)hint, (void)marshal_data;
  gboolean answer = ((gboolean (*)(gpointer))((GCClosure *)closure)->callback)(closure->data);
  if (result != NULL && G_VALUE_HOLDS_BOOLEAN(result)) g_value_set_boolean(result, answer);
}

typedef struct {
  gpointer data;
  void (*destroy)(gpointer);
} Owned;

static void release(gpointer data, GClosure *closure) {
  (void)closure;
  Owned *owned = data;
  owned->destroy(owned->data);
  g_free(owned);
}

gulong keyline_connect(gpointer object, const char *signal, gboolean (*handler)(gpointer data),
                       gpointer data, void (*destroy)(gpointer data)) {
  GClosure *closure = g_cclosure_new(G_CALLBACK(handler), data, NULL);
  Owned *owned = g_new(Owned, 1);
  owned->data = data;
  owned->destroy = destroy;
  g_closure_add_finalize_notifier(closure, owned, release);
  g_closure_set_marshal(closure, marshal);
  return g_signal_connect_closure(object, signal, closure, FALSE);
}

GType keyline_kind_type(KeylineKind kind) {
  switch (kind) {
    case KEYLINE_TEXT: return G_TYPE_STRING;
    case KEYLINE_BOOLEAN: return G_TYPE_BOOLEAN;
    case KEYLINE_INTEGER:
    case KEYLINE_POSITION: return G_TYPE_INT64;
    case KEYLINE_NUMBER: return G_TYPE_DOUBLE;
  }
  return G_TYPE_INVALID;
}

static gboolean has_values(GType type, KeylineKind kind) {
  switch (kind) {
    case KEYLINE_TEXT: return type == G_TYPE_STRING;
    case KEYLINE_BOOLEAN: return type == G_TYPE_BOOLEAN;
    case KEYLINE_INTEGER:
      return type == G_TYPE_INT || type == G_TYPE_UINT || type == G_TYPE_LONG || type == G_TYPE_ULONG ||
             type == G_TYPE_INT64 || type == G_TYPE_UINT64 || type == G_TYPE_ENUM;
    case KEYLINE_POSITION: return type == G_TYPE_UINT;
    case KEYLINE_NUMBER: return type == G_TYPE_DOUBLE || type == G_TYPE_FLOAT;
  }
  return FALSE;
}

KeylineUse keyline_use_of_property(gpointer object, const char *name, KeylineKind kind,
                                   gboolean is_written, const char **type) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
  if (spec == NULL || !(spec->flags & G_PARAM_READABLE)) return KEYLINE_UNKNOWN;
  *type = g_type_name(spec->value_type);
  if (!has_values(G_TYPE_FUNDAMENTAL(spec->value_type), kind)) return KEYLINE_MISMATCH;
  gboolean is_writable = (spec->flags & G_PARAM_WRITABLE) && !(spec->flags & G_PARAM_CONSTRUCT_ONLY);
  return is_written && !is_writable ? KEYLINE_READ_ONLY : KEYLINE_USABLE;
}

const char *keyline_class_name(gpointer object) { return G_OBJECT_TYPE_NAME(object); }

gboolean keyline_has_signal(gpointer object, const char *signal) {
  guint id;
  GQuark detail;
  if (!g_signal_parse_name(signal, G_OBJECT_TYPE(object), &id, &detail, TRUE)) return FALSE;
  return !g_str_has_prefix(signal, "notify::") ||
         g_object_class_find_property(G_OBJECT_GET_CLASS(object), g_quark_to_string(detail)) != NULL;
}

void keyline_emit(gpointer object, const char *signal) { g_signal_emit_by_name(object, signal); }

void keyline_remove_from_parent(GtkWidget *child) {
  GtkWidget *parent = gtk_widget_get_parent(child);
  if (parent == NULL) return;
  if (GTK_IS_BOX(parent)) {
    gtk_box_remove(GTK_BOX(parent), child);
  } else if (GTK_IS_GRID(parent)) {
    gtk_grid_remove(GTK_GRID(parent), child);
  } else if (GTK_IS_WINDOW(parent)) {
    gtk_window_set_child(GTK_WINDOW(parent), NULL);
  } else if (GTK_IS_VIEWPORT(parent)) {
    gtk_viewport_set_child(GTK_VIEWPORT(parent), NULL);
  } else if (GTK_IS_SCROLLED_WINDOW(parent)) {
    gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(parent), NULL);
  } else {
    gtk_widget_unparent(child);
  }
}

gboolean keyline_has_visible_window(void) {
  GListModel *windows = gtk_window_get_toplevels();
  for (guint index = 0; index < g_list_model_get_n_items(windows); index++) {
    GtkWidget *window = g_list_model_get_item(windows, index);
    gboolean is_visible = gtk_widget_get_visible(window);
    g_object_unref(window);
    if (is_visible) return TRUE;
  }
  return FALSE;
}
