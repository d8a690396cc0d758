#include "CKeylineGTK.h"

// An element of the list, as the object that GTK wants.

typedef struct {
  GObject parent;
  gpointer element;
  void (*release)(gpointer);
  // The rows of the list by the identity of their elements; NULL for an element without.
  GHashTable *rows;
  gpointer identity;
} KeylineRow;

typedef struct {
  GObjectClass parent;
} KeylineRowClass;

static GType keyline_row_get_type(void);
G_DEFINE_TYPE(KeylineRow, keyline_row, G_TYPE_OBJECT)

static void keyline_row_finalize(GObject *object) {
  KeylineRow *row = (KeylineRow *)object;
  if (row->rows != NULL) {
    g_hash_table_remove(row->rows, row->identity);
    g_hash_table_unref(row->rows);
  }
  if (row->element != NULL) row->release(row->element);
  G_OBJECT_CLASS(keyline_row_parent_class)->finalize(object);
}

static void keyline_row_class_init(KeylineRowClass *class) {
  G_OBJECT_CLASS(class)->finalize = keyline_row_finalize;
}

static void keyline_row_init(KeylineRow *row) {
  row->element = NULL;
  row->rows = NULL;
}

gpointer keyline_row_element(gpointer row) {
  return G_TYPE_CHECK_INSTANCE_TYPE(row, keyline_row_get_type()) ? ((KeylineRow *)row)->element : NULL;
}

// The list.

typedef struct {
  GObject parent;
  KeylineListCallbacks callbacks;
  gpointer data;
  // The rows that exist, not retained, by the identity of their elements.
  GHashTable *rows;
} KeylineListModel;

typedef struct {
  GObjectClass parent;
} KeylineListModelClass;

static GType keyline_list_model_get_type(void);

static GType item_type(GListModel *model) {
  (void)model;
  return keyline_row_get_type();
}

static guint item_count(GListModel *model) {
  KeylineListModel *list = (KeylineListModel *)model;
  return list->callbacks.count(list->data);
}

static gpointer item(GListModel *model, guint position) {
  KeylineListModel *list = (KeylineListModel *)model;
  gpointer identity = list->callbacks.identity(list->data, position);
  gpointer existing = identity != NULL ? g_hash_table_lookup(list->rows, identity) : NULL;
  if (existing != NULL) return g_object_ref(existing);
  gpointer element = list->callbacks.element(list->data, position);
  if (element == NULL) return NULL;
  KeylineRow *row = g_object_new(keyline_row_get_type(), NULL);
  row->element = element;
  row->release = list->callbacks.release_element;
  if (identity != NULL) {
    row->rows = g_hash_table_ref(list->rows);
    row->identity = identity;
    g_hash_table_insert(list->rows, identity, row);
  }
  return row;
}

static void list_interface_init(GListModelInterface *interface) {
  interface->get_item_type = item_type;
  interface->get_n_items = item_count;
  interface->get_item = item;
}

G_DEFINE_TYPE_WITH_CODE(KeylineListModel, keyline_list_model, G_TYPE_OBJECT,
                        G_IMPLEMENT_INTERFACE(G_TYPE_LIST_MODEL, list_interface_init))

static void keyline_list_model_finalize(GObject *object) {
  KeylineListModel *list = (KeylineListModel *)object;
  list->callbacks.release(list->data);
  g_hash_table_unref(list->rows);
  G_OBJECT_CLASS(keyline_list_model_parent_class)->finalize(object);
}

static void keyline_list_model_class_init(KeylineListModelClass *class) {
  G_OBJECT_CLASS(class)->finalize = keyline_list_model_finalize;
}

static void keyline_list_model_init(KeylineListModel *list) { list->rows = g_hash_table_new(NULL, NULL); }

GListModel *keyline_list_model_new(KeylineListCallbacks callbacks, gpointer data) {
  KeylineListModel *list = g_object_new(keyline_list_model_get_type(), NULL);
  list->callbacks = callbacks;
  list->data = data;
  return G_LIST_MODEL(list);
}

// The rows.

typedef struct {
  void (*bind)(gpointer, gpointer, GtkListItem *);
  gpointer data;
  void (*release)(gpointer);
} Factory;

static void on_bind(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data) {
  (void)factory;
  Factory *rows = data;
  gpointer element = keyline_row_element(gtk_list_item_get_item(item));
  if (element != NULL) rows->bind(rows->data, element, item);
}

static void on_unbind(GtkSignalListItemFactory *factory, GtkListItem *item, gpointer data) {
  (void)factory, (void)data;
  gtk_list_item_set_child(item, NULL);
}

static void release_factory(gpointer data, GClosure *closure) {
  (void)closure;
  Factory *rows = data;
  rows->release(rows->data);
  g_free(rows);
}

GtkListItemFactory *keyline_factory_new(void (*bind)(gpointer data, gpointer element,
                                                     GtkListItem *item),
                                        gpointer data, void (*release)(gpointer data)) {
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new();
  Factory *rows = g_new(Factory, 1);
  *rows = (Factory){bind, data, release};
  g_signal_connect_data(factory, "bind", G_CALLBACK(on_bind), rows, release_factory, 0);
  g_signal_connect(factory, "unbind", G_CALLBACK(on_unbind), NULL);
  return factory;
}
