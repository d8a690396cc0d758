#include "CKeylineGTK.h"

// A closure without arguments: a marshaller of its own leaves the signal's arguments out.
static void marshal(GClosure *closure, GValue *result, guint count, const GValue *values, gpointer hint,
                    gpointer marshal_data) {
  (void)result, (void)count, (void)values, (void)hint, (void)marshal_data;
  ((void (*)(gpointer))((GCClosure *)closure)->callback)(closure->data);
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

gulong keyline_connect(gpointer object, const char *signal, void (*handler)(gpointer data),
                       gpointer data, void (*destroy)(gpointer data)) {
  GClosure *closure = g_cclosure_new(G_CALLBACK(handler), data, NULL);
  Owned *owned = g_new(Owned, 1);
  owned->data = data;
  owned->destroy = destroy;
  g_closure_add_finalize_notifier(closure, owned, release);
  g_closure_set_marshal(closure, marshal);
  return g_signal_connect_closure(object, signal, closure, FALSE);
}

GType keyline_property_type(gpointer object, const char *name, GType *fundamental,
                            gboolean *is_writable) {
  GParamSpec *spec = g_object_class_find_property(G_OBJECT_GET_CLASS(object), name);
  if (spec == NULL || !(spec->flags & G_PARAM_READABLE)) return 0;
  *fundamental = G_TYPE_FUNDAMENTAL(spec->value_type);
  *is_writable = (spec->flags & G_PARAM_WRITABLE) && !(spec->flags & G_PARAM_CONSTRUCT_ONLY);
  return spec->value_type;
}

const char *keyline_class_name(gpointer object) { return G_OBJECT_TYPE_NAME(object); }

gboolean keyline_has_signal(gpointer object, const char *signal) {
  guint id;
  GQuark detail;
  return g_signal_parse_name(signal, G_OBJECT_TYPE(object), &id, &detail, TRUE);
}

void keyline_emit(gpointer object, const char *signal) { g_signal_emit_by_name(object, signal); }
