// SPDX-License-Identifier: LGPL-2.1-or-later
// Dear ImGui behind C functions; the only C++ of the project.
#include "imgui_shim.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <backends/imgui_impl_glfw.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

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
  io.ConfigFlags |= ImGuiConfigFlags_NoMouseCursorChange;
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

void ui_begin(void) {
  ImGui_ImplOpenGL3_NewFrame();
  ImGui_ImplGlfw_NewFrame();
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

void ui_on_button(GLFWwindow *window, int button, int action, int mods) {
  if (created()) ImGui_ImplGlfw_MouseButtonCallback(window, button, action, mods);
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

void ui_panel(const char *name, float x, float y, float width, float height, char resize,
              float *size) {
  ImGuiWindowFlags flags = ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                           ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoBringToFrontOnFocus;
  ImGui::SetNextWindowPos(ImVec2(x, y));
  if (resize == 'w') {
    ImGui::SetNextWindowSizeConstraints(ImVec2(160, height), ImVec2(2 * width + 400, height));
    ImGui::SetNextWindowSize(ImVec2(width, height), ImGuiCond_FirstUseEver);
  } else {
    ImGui::SetNextWindowSize(ImVec2(width, height));
    flags |= ImGuiWindowFlags_NoResize;
  }
  ImGui::Begin(name, nullptr, flags);
  if (size) *size = resize == 'w' ? ImGui::GetWindowWidth() : ImGui::GetWindowHeight();
}

void ui_panel_end(void) {
  ImGui::End();
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

void ui_plot(const char *label, const float *values, int n, int offset, int stride, float width,
             float height) {
  float min = FLT_MAX, max = -FLT_MAX, last = NAN;
  char text[160];
  const char *bytes = reinterpret_cast<const char *>(values);
  for (int i = 0; i < n; i++) {
    const float v = *reinterpret_cast<const float *>(bytes + ((offset + i) % n) * stride);
    if (!std::isfinite(v)) continue;
    if (v < min) min = v;
    if (v > max) max = v;
    last = v;
  }
  if (min > max) min = max = 0;
  if (std::isfinite(last))
    snprintf(text, sizeof text, "%s: %.4g   (%.3g ... %.3g)", label, last, min, max);
  else snprintf(text, sizeof text, "%s: none", label);
  const float margin = max > min ? 0.05f * (max - min) : fabsf(max) * 0.1f + 1e-9f;
  ImGui::PlotLines("##plot", values, n, offset, text, min - margin, max + margin,
                   ImVec2(width, height), stride);
}

float ui_width(void) {
  return ImGui::GetContentRegionAvail().x;
}

float ui_height(void) {
  return ImGui::GetContentRegionAvail().y;
}
