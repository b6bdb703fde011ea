// SPDX-License-Identifier: LGPL-2.1-or-later
// Dear ImGui behind C functions. This and imgui_plot.cpp are the only C++ of the project.
#include "imgui_shim.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <cfloat>
#include <cstdio>
#include <cstring>

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

bool ui_slider_int(const char *id, int *value, int min, int max, const char *shown) {
  ImGui::SetNextItemWidth(-FLT_MIN);
  return ImGui::SliderInt(id, value, min, max, shown, ImGuiSliderFlags_NoInput);
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

// The text, or as much of its beginning as fits with dots. true: it was cut.
bool ui_fit(const char *text, float width, char *out, size_t size) {
  const size_t length = strlen(text);
  snprintf(out, size, "%s", text);
  if (length < size && ImGui::CalcTextSize(text).x <= width) return false;
  size_t low = 0, high = length + 4 < size ? length : size - 4;
  while (low < high) {
    const size_t middle = (low + high + 1) / 2;
    snprintf(out, size, "%.*s...", static_cast<int>(middle), text);
    if (ImGui::CalcTextSize(out).x <= width) low = middle;
    else high = middle - 1;
  }
  // not in the middle of a character
  while (low > 0 && (text[low] & 0xC0) == 0x80) low--;
  snprintf(out, size, "%.*s...", static_cast<int>(low), text);
  return true;
}

void ui_text_fit(const char *text, unsigned rgb, float width) {
  char shown[512];
  const float room = ImGui::GetContentRegionAvail().x;
  const bool cut = ui_fit(text, width > 0 && width < room ? width : room, shown, sizeof shown);
  ui_text_color(shown, rgb);
  if (cut) ui_tooltip(text);
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
  char shown[256];
  const float room = ImGui::GetContentRegionAvail().x - ImGui::GetTreeNodeToLabelSpacing();
  const bool cut = ui_fit(label, room, shown, sizeof shown);
  *open = ImGui::TreeNodeEx("line", flags, "%s", shown);
  const bool clicked = ImGui::IsItemClicked() && !ImGui::IsItemToggledOpen();
  ImGui::PopStyleColor();
  if (cut) ui_tooltip(label);
  ImGui::Unindent(indent);
  return clicked;
}

bool ui_child(const char *id, float height, bool border) {
  return ImGui::BeginChild(id, ImVec2(0, height), border);
}

bool ui_column(const char *id, float width, float height) {
  return ImGui::BeginChild(id, ImVec2(width, height), false);
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

void ui_focus_next(void) {
  ImGui::SetKeyboardFocusHere();
}

int ui_arrow_keys(void) {
  if (ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_DownArrow))) return 1;
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(ImGuiKey_UpArrow)) ? -1 : 0;
}

bool ui_choice(const char *label, bool marked, const char *beside) {
  const bool clicked = ImGui::Selectable(label, marked);
  if (marked && !ImGui::IsItemVisible()) ImGui::SetScrollHereY();
  if (*beside) {
    const float x = ImGui::GetContentRegionMax().x - ImGui::CalcTextSize(beside).x;
    ImGui::SameLine(x);
    ImGui::TextDisabled("%s", beside);
  }
  return clicked;
}

bool ui_checkbox_fit(const char *label, unsigned rgb, float width, bool *value) {
  char shown[256];
  const bool cut = ui_fit(label, width - 26, shown, sizeof shown);
  ImGui::PushStyleColor(ImGuiCol_Text, color_of(rgb));
  const bool clicked = ImGui::Checkbox(shown, value);
  ImGui::PopStyleColor();
  if (cut) ui_tooltip(label);
  return clicked;
}

void ui_disable(bool disabled) {
  ImGui::BeginDisabled(disabled);
}

void ui_enable(void) {
  ImGui::EndDisabled();
}

float ui_width(void) {
  return ImGui::GetContentRegionAvail().x;
}

float ui_height(void) {
  return ImGui::GetContentRegionAvail().y;
}
