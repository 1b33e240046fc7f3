// The files of the page, put into the program by C23's #embed. Tests/System/Browser/files.py checks that the list is whole.
#include "page.h"

// The package's C standard is the compiler's own, in which #embed is an extension.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char account_js[] = {
#embed "page/account.js"
};
static const unsigned char alerts_js[] = {
#embed "page/alerts.js"
};
static const unsigned char alertsview_js[] = {
#embed "page/alertsview.js"
};
static const unsigned char api_js[] = {
#embed "page/api.js"
};
static const unsigned char app_js[] = {
#embed "page/app.js"
};
static const unsigned char bars_js[] = {
#embed "page/bars.js"
};
static const unsigned char chart_js[] = {
#embed "page/chart.js"
};
static const unsigned char columns_js[] = {
#embed "page/columns.js"
};
static const unsigned char connection_js[] = {
#embed "page/connection.js"
};
static const unsigned char controls_js[] = {
#embed "page/controls.js"
};
static const unsigned char decimal_js[] = {
#embed "page/decimal.js"
};
static const unsigned char dialogs_js[] = {
#embed "page/dialogs.js"
};
static const unsigned char dom_js[] = {
#embed "page/dom.js"
};
static const unsigned char draw_js[] = {
#embed "page/draw.js"
};
static const unsigned char equity_js[] = {
#embed "page/equity.js"
};
static const unsigned char filter_js[] = {
#embed "page/filter.js"
};
static const unsigned char frame_js[] = {
#embed "page/frame.js"
};
static const unsigned char graph_js[] = {
#embed "page/graph.js"
};
static const unsigned char icon_svg[] = {
#embed "page/icon.svg"
};
static const unsigned char index_html[] = {
#embed "page/index.html"
};
static const unsigned char keys_js[] = {
#embed "page/keys.js"
};
static const unsigned char layout_js[] = {
#embed "page/layout.js"
};
static const unsigned char list_js[] = {
#embed "page/list.js"
};
static const unsigned char lists_js[] = {
#embed "page/lists.js"
};
static const unsigned char model_js[] = {
#embed "page/model.js"
};
static const unsigned char movers_js[] = {
#embed "page/movers.js"
};
static const unsigned char orders_js[] = {
#embed "page/orders.js"
};
static const unsigned char panel_js[] = {
#embed "page/panel.js"
};
static const unsigned char portfolio_js[] = {
#embed "page/portfolio.js"
};
static const unsigned char quote_js[] = {
#embed "page/quote.js"
};
static const unsigned char router_js[] = {
#embed "page/router.js"
};
static const unsigned char row_js[] = {
#embed "page/row.js"
};
static const unsigned char rules_js[] = {
#embed "page/rules.js"
};
static const unsigned char say_js[] = {
#embed "page/say.js"
};
static const unsigned char scale_js[] = {
#embed "page/scale.js"
};
static const unsigned char search_js[] = {
#embed "page/search.js"
};
static const unsigned char settings_js[] = {
#embed "page/settings.js"
};
static const unsigned char sheet_js[] = {
#embed "page/sheet.js"
};
static const unsigned char small_css[] = {
#embed "page/small.css"
};
static const unsigned char star_js[] = {
#embed "page/star.js"
};
static const unsigned char status_js[] = {
#embed "page/status.js"
};
static const unsigned char style_css[] = {
#embed "page/style.css"
};
static const unsigned char symbol_js[] = {
#embed "page/symbol.js"
};
static const unsigned char table_css[] = {
#embed "page/table.css"
};
static const unsigned char table_js[] = {
#embed "page/table.js"
};
static const unsigned char theme_js[] = {
#embed "page/theme.js"
};
static const unsigned char ticket_js[] = {
#embed "page/ticket.js"
};
static const unsigned char time_js[] = {
#embed "page/time.js"
};
static const unsigned char toasts_js[] = {
#embed "page/toasts.js"
};
static const unsigned char trend_js[] = {
#embed "page/trend.js"
};
static const unsigned char views_css[] = {
#embed "page/views.css"
};
static const unsigned char watchlists_js[] = {
#embed "page/watchlists.js"
};

#define FILE(name, type, bytes) {name, type, bytes, sizeof bytes}

static const struct dashboard_file files[] = {
  FILE("account.js", "text/javascript", account_js),
  FILE("alerts.js", "text/javascript", alerts_js),
  FILE("alertsview.js", "text/javascript", alertsview_js),
  FILE("api.js", "text/javascript", api_js),
  FILE("app.js", "text/javascript", app_js),
  FILE("bars.js", "text/javascript", bars_js),
  FILE("chart.js", "text/javascript", chart_js),
  FILE("columns.js", "text/javascript", columns_js),
  FILE("connection.js", "text/javascript", connection_js),
  FILE("controls.js", "text/javascript", controls_js),
  FILE("decimal.js", "text/javascript", decimal_js),
  FILE("dialogs.js", "text/javascript", dialogs_js),
  FILE("dom.js", "text/javascript", dom_js),
  FILE("draw.js", "text/javascript", draw_js),
  FILE("equity.js", "text/javascript", equity_js),
  FILE("filter.js", "text/javascript", filter_js),
  FILE("frame.js", "text/javascript", frame_js),
  FILE("graph.js", "text/javascript", graph_js),
  FILE("icon.svg", "image/svg+xml", icon_svg),
  FILE("index.html", "text/html", index_html),
  FILE("keys.js", "text/javascript", keys_js),
  FILE("layout.js", "text/javascript", layout_js),
  FILE("list.js", "text/javascript", list_js),
  FILE("lists.js", "text/javascript", lists_js),
  FILE("model.js", "text/javascript", model_js),
  FILE("movers.js", "text/javascript", movers_js),
  FILE("orders.js", "text/javascript", orders_js),
  FILE("panel.js", "text/javascript", panel_js),
  FILE("portfolio.js", "text/javascript", portfolio_js),
  FILE("quote.js", "text/javascript", quote_js),
  FILE("router.js", "text/javascript", router_js),
  FILE("row.js", "text/javascript", row_js),
  FILE("rules.js", "text/javascript", rules_js),
  FILE("say.js", "text/javascript", say_js),
  FILE("scale.js", "text/javascript", scale_js),
  FILE("search.js", "text/javascript", search_js),
  FILE("settings.js", "text/javascript", settings_js),
  FILE("sheet.js", "text/javascript", sheet_js),
  FILE("small.css", "text/css", small_css),
  FILE("star.js", "text/javascript", star_js),
  FILE("status.js", "text/javascript", status_js),
  FILE("style.css", "text/css", style_css),
  FILE("symbol.js", "text/javascript", symbol_js),
  FILE("table.css", "text/css", table_css),
  FILE("table.js", "text/javascript", table_js),
  FILE("theme.js", "text/javascript", theme_js),
  FILE("ticket.js", "text/javascript", ticket_js),
  FILE("time.js", "text/javascript", time_js),
  FILE("toasts.js", "text/javascript", toasts_js),
  FILE("trend.js", "text/javascript", trend_js),
  FILE("views.css", "text/css", views_css),
  FILE("watchlists.js", "text/javascript", watchlists_js),
};

const struct dashboard_file *dashboard_files(void) { return files; }

size_t dashboard_file_count(void) { return sizeof files / sizeof files[0]; }
