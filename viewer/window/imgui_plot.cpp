// SPDX-License-Identifier: LGPL-2.1-or-later
// Plots: curves that share their axes, drawn with Dear ImGui.
#include "imgui_shim.h"

#include <imgui.h>

#include <cfloat>
#include <cmath>
#include <cstdio>

static double value_at(const UiPlot *p, const double *first, int i) {
  const char *bytes = reinterpret_cast<const char *>(first);
  return *reinterpret_cast<const double *>(bytes + ((p->offset + i) % p->n) * p->stride);
}

static double x_at(const UiPlot *p, int i) {
  return p->x ? value_at(p, p->x, i) : i + 1;
}

// What is shown of the curves: entries [first, n), and their range.
struct PlotRange {
  int first;
  double x0, x1, y0, y1;
};

static void widen(const UiPlot *p, const double *y, PlotRange *r) {
  for (int i = r->first; i < p->n; i++) {
    const double v = value_at(p, y, i);
    if (!std::isfinite(v)) continue;
    if (v < r->y0) r->y0 = v;
    if (v > r->y1) r->y1 = v;
  }
}

static bool find_range(const UiPlot *p, PlotRange *r) {
  const double zoom = p->zoom && *p->zoom > 0 ? *p->zoom : 1;
  *r = {0, 0, 1, DBL_MAX, -DBL_MAX};
  if (p->n < 1) return false;
  r->first = p->n - static_cast<int>(ceil(p->n * zoom));
  if (r->first > p->n - 2) r->first = p->n - 2;
  if (r->first < 0) r->first = 0;
  for (int k = 0; k < p->n_curves; k++) widen(p, p->curves[k].y, r);
  r->x0 = x_at(p, r->first);
  r->x1 = x_at(p, p->n - 1);
  if (r->y0 > r->y1) return false;
  if (!(r->x1 > r->x0)) r->x1 = r->x0 + 1;
  return true;
}

static ImU32 color_of(unsigned rgb) {
  return IM_COL32((rgb >> 16) & 255, (rgb >> 8) & 255, rgb & 255, 255);
}

// A line of at most two points per pixel: the lowest and the highest of what falls into it.
static void draw_curve(ImDrawList *list, const UiPlot *p, const UiCurve *curve, const PlotRange &r,
                       ImVec2 a, ImVec2 b) {
  const double low = r.y1 > r.y0 ? r.y0 : r.y0 - 1, high = r.y1 > r.y0 ? r.y1 : r.y1 + 1;
  const int n = p->n - r.first, columns = static_cast<int>(b.x - a.x) + 1;
  const int step = n > 2 * columns ? n / columns : 1;
  const ImU32 color = color_of(curve->rgb);
  ImVec2 last(0, 0);
  bool has_last = false;
  for (int i = r.first; i < p->n; i += step) {
    double y[2] = {NAN, NAN};
    for (int k = i; k < i + step && k < p->n; k++) {
      const double v = value_at(p, curve->y, k);
      if (!std::isfinite(v)) continue;
      if (!(y[0] <= v)) y[0] = v;
      if (!(y[1] >= v)) y[1] = v;
    }
    const double x = (x_at(p, i) - r.x0) / (r.x1 - r.x0);
    for (int k = 0; k < (y[0] < y[1] ? 2 : 1); k++) {
      const ImVec2 at(a.x + static_cast<float>(x) * (b.x - a.x),
                      b.y - static_cast<float>((y[k] - low) / (high - low)) * (b.y - a.y));
      if (std::isfinite(y[k]) && has_last) list->AddLine(last, at, color, 1.5f);
      has_last = std::isfinite(y[k]);
      last = at;
    }
    if (!std::isfinite(y[0])) has_last = false;
  }
}

static void draw_text(ImDrawList *list, float x, float y, const char *text) {
  list->AddText(ImVec2(x, y), ImGui::GetColorU32(ImGuiCol_TextDisabled), text);
}

// A number beside the axis of y, with a faint line.
static void draw_tick(ImDrawList *list, const PlotRange &r, ImVec2 a, ImVec2 b, double part) {
  char text[32];
  const float line = ImGui::GetFontSize();
  const float y = b.y - static_cast<float>(part) * (b.y - a.y);
  snprintf(text, sizeof text, "%.4g", r.y0 + part * (r.y1 - r.y0));
  draw_text(list, a.x - 4 - ImGui::CalcTextSize(text).x, y - line / 2, text);
  if (part > 0 && part < 1)
    list->AddLine(ImVec2(a.x, y), ImVec2(b.x, y), IM_COL32(255, 255, 255, 24));
}

static void draw_axes(ImDrawList *list, const UiPlot *p, const PlotRange &r, ImVec2 a, ImVec2 b) {
  char text[64];
  const float line = ImGui::GetFontSize();
  const int ticks = b.y - a.y > 8 * line ? 4 : b.y - a.y > 3 * line ? 2 : 1;
  for (int i = 0; i <= ticks; i++)
    if (r.y1 > r.y0 || i == ticks) draw_tick(list, r, a, b, static_cast<double>(i) / ticks);
  snprintf(text, sizeof text, "%.5g", r.x0);
  draw_text(list, a.x, b.y + 1, text);
  snprintf(text, sizeof text, "%.5g %s", r.x1, p->x_label ? p->x_label : "");
  draw_text(list, b.x - ImGui::CalcTextSize(text).x, b.y + 1, text);
}

// The values below the mouse, and the wheel.
static void follow_mouse(ImDrawList *list, const UiPlot *p, const PlotRange &r, ImVec2 a,
                         ImVec2 b) {
  const float x = ImGui::GetIO().MousePos.x, wheel = ImGui::GetIO().MouseWheel;
  if (!ImGui::IsItemHovered() || x < a.x || x > b.x) return;
  const double wanted = r.x0 + static_cast<double>((x - a.x) / (b.x - a.x)) * (r.x1 - r.x0);
  int nearest = r.first;
  for (int i = r.first; i < p->n; i++)
    if (fabs(x_at(p, i) - wanted) < fabs(x_at(p, nearest) - wanted)) nearest = i;
  list->AddLine(ImVec2(x, a.y), ImVec2(x, b.y), IM_COL32(255, 255, 255, 90));
  ImGui::BeginTooltip();
  ImGui::Text("%s %.6g", p->x_label ? p->x_label : "", x_at(p, nearest));
  for (int k = 0; k < p->n_curves; k++)
    ImGui::Text("%s: %.9g", p->curves[k].name, value_at(p, p->curves[k].y, nearest));
  ImGui::EndTooltip();
  if (wheel == 0 || !p->zoom) return;
  const double zoom = *p->zoom * exp(-0.2 * static_cast<double>(wheel));
  *p->zoom = zoom > 1 ? 1 : zoom < 0.005 ? 0.005 : zoom;
}

// "name: value" above a plot of one curve; cut where it is too long.
static void draw_title(ImDrawList *list, const UiPlot *p, bool any, ImVec2 at, float width) {
  char text[256], shown[256];
  const UiCurve *curve = p->curves;
  const double now = any ? value_at(p, curve->y, p->n - 1) : NAN;
  if (std::isfinite(now)) snprintf(text, sizeof text, "%s: %.5g", curve->name, now);
  else snprintf(text, sizeof text, "%s: none", curve->name);
  const bool cut = ui_fit(text, width, shown, sizeof shown);
  list->AddText(at, ImGui::GetColorU32(ImGuiCol_Text), shown);
  const ImVec2 end(at.x + width, at.y + ImGui::GetFontSize());
  if (cut && ImGui::IsMouseHoveringRect(at, end)) ImGui::SetTooltip("%s", text);
}

void ui_plot(const UiPlot *p, float width, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetFontSize(), margin = 74;
  const float top = p->n_curves == 1 ? line + 4 : line / 2 + 2;
  ImDrawList *list = ImGui::GetWindowDrawList();
  PlotRange r;
  const bool any = find_range(p, &r);
  ImGui::InvisibleButton(p->label, ImVec2(width, height));
  const ImVec2 a(at.x + margin, at.y + top), b(at.x + width - 6, at.y + height - line - 3);
  list->PushClipRect(at, ImVec2(at.x + width, at.y + height), true);
  if (p->n_curves == 1) draw_title(list, p, any, at, width);
  if (b.x > a.x + 10 && b.y > a.y + 6) {
    list->AddRectFilled(a, b, ImGui::GetColorU32(ImGuiCol_FrameBg));
    if (any) {
      draw_axes(list, p, r, a, b);
      for (int k = 0; k < p->n_curves; k++) draw_curve(list, p, &p->curves[k], r, a, b);
      follow_mouse(list, p, r, a, b);
    }
  }
  list->PopClipRect();
}
