// SPDX-License-Identifier: LGPL-2.1-or-later
// Dear ImGui behind C functions; the only C++ of the project.
#include "imgui_shim.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cfloat>
#include <cmath>
#include <cstdio>

static ImVec4 color_of(unsigned rgb) {
  return ImVec4(((rgb >> 16) & 255) / 255.f, ((rgb >> 8) & 255) / 255.f, (rgb & 255) / 255.f, 1.f);
}

static bool created() {
  return ImGui::GetCurrentContext() != nullptr;
}

bool ui_available(void) {
  return true;
}

bool ui_create(GLFWwindow *window, const char *layout) {
  ImGui::CreateContext();
  ImGuiIO &io = ImGui::GetIO();
  io.IniFilename = layout;
  ImGui::StyleColorsDark();
  ImGuiStyle &style = ImGui::GetStyle();
  style.WindowRounding = 0;
  style.WindowBorderSize = 0;
  style.FrameRounding = 2;
  FILE *font = fopen("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", "rb");
  if (font) {
    fclose(font);
    io.Fonts->AddFontFromFileTTF("/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf", 14.f);
  }
  if (ImGui_ImplGlfw_InitForOpenGL(window, false)) {
    if (ImGui_ImplOpenGL3_Init("#version 330 core")) return true;
    ImGui_ImplGlfw_Shutdown();
  }
  ImGui::DestroyContext();
  return false;
}

void ui_destroy(void) {
  if (!created()) return;
  ImGui_ImplOpenGL3_Shutdown();
  ImGui_ImplGlfw_Shutdown();
  ImGui::DestroyContext();
}

void ui_begin(double x, double y, const bool down[3]) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
  // the state that the queue of events has reached, not that of the hand
  ImGuiIO &io = ImGui::GetIO();
  io.MousePos = ImVec2(static_cast<float>(x), static_cast<float>(y));
  for (int i = 0; i < 3; i++) io.MouseDown[i] = down[i];
  ImGui::NewFrame();
}

void ui_end(void) {
  ImGui::Render();
  ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

bool ui_wants_mouse(void) {
  return created() && ImGui::GetIO().WantCaptureMouse;
}

bool ui_wants_keys(void) {
  return created() && ImGui::GetIO().WantCaptureKeyboard;
}

bool ui_wants_text(void) {
  return created() && ImGui::GetIO().WantTextInput;
}

void ui_on_key(GLFWwindow *window, int key, int scancode, int action, int mods) {
  if (created()) ImGui_ImplGlfw_KeyCallback(window, key, scancode, action, mods);
}

void ui_on_char(GLFWwindow *window, unsigned code) {
  if (created()) ImGui_ImplGlfw_CharCallback(window, code);
}

void ui_on_scroll(GLFWwindow *window, double dx, double dy) {
  if (created()) ImGui_ImplGlfw_ScrollCallback(window, dx, dy);
}

void ui_on_focus(GLFWwindow *window, int focused) {
  if (created()) ImGui_ImplGlfw_WindowFocusCallback(window, focused);
}

void ui_on_enter(GLFWwindow *window, int entered) {
  if (created()) ImGui_ImplGlfw_CursorEnterCallback(window, entered);
}

void ui_panel(const char *name, float x, float y, float width, float height) {
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                                 ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::SetNextWindowPos(ImVec2(x, y));
  ImGui::SetNextWindowSize(ImVec2(width, height));
  ImGui::Begin(name, nullptr, flags);
}

void ui_dialog(const char *title, float x, float y, float width, float height, bool *open) {
  ImGui::SetNextWindowPos(ImVec2(x, y), ImGuiCond_Appearing);
  ImGui::SetNextWindowSize(ImVec2(width, height), ImGuiCond_Appearing);
  ImGui::Begin(title, open, ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
}

void ui_panel_end(void) {
  ImGui::End();
}

// The item of a bar; how far it is dragged along its thin side.
static float drag_bar(const char *id, ImVec2 size) {
  const bool upright = size.y > size.x;
  ImGui::InvisibleButton(id, size);
  const bool held = ImGui::IsItemActive(), over = held || ImGui::IsItemHovered();
  if (over) ImGui::SetMouseCursor(upright ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
  const ImU32 color = ImGui::GetColorU32(over ? ImGuiCol_SeparatorHovered : ImGuiCol_Separator);
  ImGui::GetWindowDrawList()->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(),
                                            color);
  if (!held) return 0;
  return upright ? ImGui::GetIO().MouseDelta.x : ImGui::GetIO().MouseDelta.y;
}

float ui_splitter(const char *id, float x, float y, float width, float height) {
  const ImGuiWindowFlags flags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                 ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::SetNextWindowPos(ImVec2(x, y));
  ImGui::SetNextWindowSize(ImVec2(width, height));
  ImGui::Begin(id, nullptr, flags);
  const float moved = drag_bar("bar", ImVec2(width, height));
  ImGui::End();
  ImGui::PopStyleVar(2);
  return moved;
}

float ui_bar(const char *id, float height) {
  return drag_bar(id, ImVec2(ImGui::GetContentRegionAvail().x, height));
}

bool ui_main_menu(float *height) {
  const bool open = ImGui::BeginMainMenuBar();
  if (open) *height = ImGui::GetWindowHeight();
  return open;
}

void ui_main_menu_end(void) {
  ImGui::EndMainMenuBar();
}

bool ui_menu(const char *label) {
  return ImGui::BeginMenu(label);
}

void ui_menu_end(void) {
  ImGui::EndMenu();
}

bool ui_menu_item(const char *label, const char *shortcut, bool checked, bool enabled) {
  return ImGui::MenuItem(label, shortcut, checked, enabled);
}

bool ui_tabs(const char *id) {
  return ImGui::BeginTabBar(id);
}

void ui_tabs_end(void) {
  ImGui::EndTabBar();
}

bool ui_tab(const char *label, bool choose) {
  return ImGui::BeginTabItem(label, nullptr, choose ? ImGuiTabItemFlags_SetSelected : 0);
}

void ui_tab_end(void) {
  ImGui::EndTabItem();
}

bool ui_button(const char *label) {
  return ImGui::Button(label);
}

bool ui_small_button(const char *label) {
  return ImGui::SmallButton(label);
}

bool ui_checkbox(const char *label, bool *value) {
  return ImGui::Checkbox(label, value);
}

bool ui_input(const char *id, const char *hint, char *buffer, size_t size) {
  ImGui::SetNextItemWidth(-FLT_MIN);
  return ImGui::InputTextWithHint(id, hint, buffer, size, ImGuiInputTextFlags_EnterReturnsTrue);
}

bool ui_combo(const char *id, const char *const *items, int n, int *current) {
  ImGui::SetNextItemWidth(-FLT_MIN);
  return ImGui::Combo(id, current, items, n);
}

bool ui_slider_log(const char *id, float *value, float min, float max) {
  ImGui::SetNextItemWidth(140);
  return ImGui::SliderFloat(id, value, min, max, "%.3g", ImGuiSliderFlags_Logarithmic);
}

void ui_text(const char *text) {
  ImGui::TextUnformatted(text);
}

void ui_text_color(const char *text, unsigned rgb) {
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(rgb));
  ImGui::TextUnformatted(text);
  ImGui::PopStyleColor();
}

void ui_text_wrapped(const char *text, unsigned rgb) {
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(rgb));
  ImGui::PushTextWrapPos(0);
  ImGui::TextUnformatted(text);
  ImGui::PopTextWrapPos();
  ImGui::PopStyleColor();
}

void ui_tooltip(const char *text) {
  if (!ImGui::IsItemHovered()) return;
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(420);
  ImGui::TextUnformatted(text);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

void ui_same_line(void) {
  ImGui::SameLine();
}

void ui_separator(void) {
  ImGui::Separator();
}

void ui_push_id(int id) {
  ImGui::PushID(id);
}

void ui_pop_id(void) {
  ImGui::PopID();
}

bool ui_tree_line(const char *label, unsigned rgb, int level, bool leaf, bool selected,
                  bool *open) {
  const float indent = 12.f * static_cast<float>(level) + 0.01f;
  ImGuiTreeNodeFlags flags = ImGuiTreeNodeFlags_NoTreePushOnOpen |
                             ImGuiTreeNodeFlags_SpanAvailWidth | ImGuiTreeNodeFlags_OpenOnArrow;
  if (leaf) flags |= ImGuiTreeNodeFlags_Leaf;
  if (selected) flags |= ImGuiTreeNodeFlags_Selected;
  ImGui::Indent(indent);
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(rgb));
  ImGui::SetNextItemOpen(*open);
  *open = ImGui::TreeNodeEx("line", flags, "%s", label);
  const bool clicked = ImGui::IsItemClicked() && !ImGui::IsItemToggledOpen();
  ImGui::PopStyleColor();
  ImGui::Unindent(indent);
  return clicked;
}

bool ui_child(const char *id, float height, bool border) {
  return ImGui::BeginChild(id, ImVec2(0, height), border);
}

void ui_child_end(void) {
  ImGui::EndChild();
}

void ui_scroll_to_end(void) {
  if (ImGui::GetScrollY() >= ImGui::GetScrollMaxY()) ImGui::SetScrollHereY(1);
}

bool ui_table(const char *id, int columns, float height) {
  const ImGuiTableFlags flags = ImGuiTableFlags_RowBg | ImGuiTableFlags_Resizable |
                                ImGuiTableFlags_ScrollY | ImGuiTableFlags_BordersInnerV;
  return ImGui::BeginTable(id, columns, flags, ImVec2(0, height));
}

void ui_table_column(const char *label, float weight) {
  ImGui::TableSetupColumn(label, ImGuiTableColumnFlags_WidthStretch, weight);
}

void ui_table_headers(void) {
  ImGui::TableSetupScrollFreeze(0, 1);
  ImGui::TableHeadersRow();
}

void ui_table_row(void) {
  ImGui::TableNextRow();
  ImGui::TableNextColumn();
}

void ui_table_next(void) {
  ImGui::TableNextColumn();
}

void ui_table_end(void) {
  ImGui::EndTable();
}

bool ui_popup(const char *label) {
  if (ImGui::SmallButton(label)) ImGui::OpenPopup(label);
  return ImGui::BeginPopup(label);
}

bool ui_context(const char *id) {
  return ImGui::BeginPopupContextItem(id);
}

void ui_popup_end(void) {
  ImGui::EndPopup();
}

void ui_popup_close(void) {
  ImGui::CloseCurrentPopup();
}

bool ui_close_popups(void) {
  if (!created() || !ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return false;
  ImGui::ClosePopupToLevel(0, true);
  return true;
}

bool ui_selectable(const char *label) {
  return ImGui::Selectable(label);
}

bool ui_input_number(const char *id, int *value) {
  ImGui::SetNextItemWidth(110);
  const bool changed = ImGui::InputInt(id, value);
  if (*value < 0) *value = 0;
  return changed;
}

void ui_copy(const char *text) {
  ImGui::SetClipboardText(text);
}

void ui_disable(bool disabled) {
  ImGui::BeginDisabled(disabled);
}

void ui_enable(void) {
  ImGui::EndDisabled();
}

// ---- plots ----

static double value_at(const UiPlot *p, const double *first, int i) {
  const char *bytes = reinterpret_cast<const char *>(first);
  return *reinterpret_cast<const double *>(bytes + ((p->offset + i) % p->n) * p->stride);
}

static double x_at(const UiPlot *p, int i) {
  return p->x ? value_at(p, p->x, i) : i + 1;
}

// What is shown of the curve: entries [first, n), and their range.
struct PlotRange {
  int first;
  double x0, x1, y0, y1;
};

static bool find_range(const UiPlot *p, PlotRange *r) {
  const double zoom = p->zoom && *p->zoom > 0 ? *p->zoom : 1;
  *r = {0, 0, 1, DBL_MAX, -DBL_MAX};
  if (p->n < 1) return false;
  r->first = p->n - static_cast<int>(ceil(p->n * zoom));
  if (r->first > p->n - 2) r->first = p->n - 2;
  if (r->first < 0) r->first = 0;
  for (int i = r->first; i < p->n; i++) {
    const double y = value_at(p, p->y, i);
    if (!std::isfinite(y)) continue;
    if (y < r->y0) r->y0 = y;
    if (y > r->y1) r->y1 = y;
  }
  r->x0 = x_at(p, r->first);
  r->x1 = x_at(p, p->n - 1);
  if (r->y0 > r->y1) return false;
  if (!(r->x1 > r->x0)) r->x1 = r->x0 + 1;
  return true;
}

// A line of at most two points per pixel: the lowest and the highest of what falls into it.
static void draw_curve(ImDrawList *list, const UiPlot *p, const PlotRange &r, ImVec2 a, ImVec2 b) {
  const double low = r.y1 > r.y0 ? r.y0 : r.y0 - 1, high = r.y1 > r.y0 ? r.y1 : r.y1 + 1;
  const int n = p->n - r.first, columns = static_cast<int>(b.x - a.x) + 1;
  const int step = n > 2 * columns ? n / columns : 1;
  ImVec2 last(0, 0);
  bool has_last = false;
  for (int i = r.first; i < p->n; i += step) {
    double y[2] = {NAN, NAN};
    for (int k = i; k < i + step && k < p->n; k++) {
      const double v = value_at(p, p->y, k);
      if (!std::isfinite(v)) continue;
      if (!(y[0] <= v)) y[0] = v;
      if (!(y[1] >= v)) y[1] = v;
    }
    const double x = (x_at(p, i) - r.x0) / (r.x1 - r.x0);
    for (int k = 0; k < (y[0] < y[1] ? 2 : 1); k++) {
      const ImVec2 at(a.x + static_cast<float>(x) * (b.x - a.x),
                      b.y - static_cast<float>((y[k] - low) / (high - low)) * (b.y - a.y));
      if (std::isfinite(y[k]) && has_last)
        list->AddLine(last, at, IM_COL32(255, 200, 80, 255), 1.5f);
      has_last = std::isfinite(y[k]);
      last = at;
    }
    if (!std::isfinite(y[0])) has_last = false;
  }
}

static void draw_text(ImDrawList *list, float x, float y, const char *text) {
  list->AddText(ImVec2(x, y), ImGui::GetColorU32(ImGuiCol_TextDisabled), text);
}

static void draw_axes(ImDrawList *list, const UiPlot *p, const PlotRange &r, ImVec2 a, ImVec2 b) {
  char text[64];
  const float line = ImGui::GetFontSize();
  snprintf(text, sizeof text, "%.3g", r.y1);
  draw_text(list, a.x - 4 - ImGui::CalcTextSize(text).x, a.y - 2, text);
  snprintf(text, sizeof text, "%.3g", r.y0);
  if (r.y1 > r.y0) draw_text(list, a.x - 4 - ImGui::CalcTextSize(text).x, b.y - line + 2, text);
  snprintf(text, sizeof text, "%.5g", r.x0);
  draw_text(list, a.x, b.y + 1, text);
  snprintf(text, sizeof text, "%.5g %s", r.x1, p->x_label ? p->x_label : "");
  draw_text(list, b.x - ImGui::CalcTextSize(text).x, b.y + 1, text);
}

// The value below the mouse, and the wheel.
static void follow_mouse(ImDrawList *list, const UiPlot *p, const PlotRange &r, ImVec2 a,
                         ImVec2 b) {
  const float x = ImGui::GetIO().MousePos.x, wheel = ImGui::GetIO().MouseWheel;
  if (!ImGui::IsItemHovered() || x < a.x || x > b.x) return;
  const double wanted = r.x0 + static_cast<double>((x - a.x) / (b.x - a.x)) * (r.x1 - r.x0);
  int nearest = r.first;
  for (int i = r.first; i < p->n; i++)
    if (fabs(x_at(p, i) - wanted) < fabs(x_at(p, nearest) - wanted)) nearest = i;
  list->AddLine(ImVec2(x, a.y), ImVec2(x, b.y), IM_COL32(255, 255, 255, 90));
  ImGui::SetTooltip("%s %.6g: %.9g", p->x_label ? p->x_label : "", x_at(p, nearest),
                    value_at(p, p->y, nearest));
  if (wheel == 0 || !p->zoom) return;
  const double zoom = *p->zoom * exp(-0.2 * static_cast<double>(wheel));
  *p->zoom = zoom > 1 ? 1 : zoom < 0.005 ? 0.005 : zoom;
}

void ui_plot(const UiPlot *p, float width, float height) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float line = ImGui::GetFontSize(), margin = 74;
  ImDrawList *list = ImGui::GetWindowDrawList();
  PlotRange r;
  char text[200];
  const bool any = find_range(p, &r);
  const double now = any ? value_at(p, p->y, p->n - 1) : NAN;
  ImGui::InvisibleButton(p->label, ImVec2(width, height));
  if (std::isfinite(now)) snprintf(text, sizeof text, "%s: %.5g", p->label, now);
  else snprintf(text, sizeof text, "%s: none", p->label);
  const ImVec2 a(at.x + margin, at.y + line + 4), b(at.x + width - 6, at.y + height - line - 3);
  list->PushClipRect(at, ImVec2(at.x + width, at.y + height), true);
  list->AddText(ImVec2(a.x, at.y), ImGui::GetColorU32(ImGuiCol_Text), text);
  if (b.x > a.x + 10 && b.y > a.y + 6) {
    list->AddRectFilled(a, b, ImGui::GetColorU32(ImGuiCol_FrameBg));
    if (any) {
      draw_axes(list, p, r, a, b);
      draw_curve(list, p, r, a, b);
      follow_mouse(list, p, r, a, b);
    }
  }
  list->PopClipRect();
}

float ui_width(void) {
  return ImGui::GetContentRegionAvail().x;
}

float ui_height(void) {
  return ImGui::GetContentRegionAvail().y;
}
