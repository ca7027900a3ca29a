#include "reports/document/page.h"

#include <array>
#include <cstdint>
#include <string_view>

#include "gdbench/page_assets.h"

namespace gdbench::document {

namespace {

// RFC 4648, of hexadecimal digits that stand for a multiple of three bytes and two.
std::string base64(std::string_view hexadecimal) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto value = [](char digit) {
    return static_cast<std::uint32_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
  };
  std::string out;
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : hexadecimal) {
    bits = bits << 4 | value(digit);
    held += 4;
    if (held >= 6) {
      held -= 6;
      out += kDigits[bits >> held & 63];
      bits &= (1U << held) - 1;
    }
  }
  if (held > 0) out += kDigits[bits << (6 - held) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

// Nothing is fetched, sent or framed. A page in a file has no origin that 'self' could mean; digests allow the style
// and the script that stand in it, and no attribute with either.
std::string policy() {
  return "default-src 'none'; style-src 'sha256-" + base64(kStyleSha256) + "'; script-src 'sha256-" +
         base64(kScriptSha256) + "'; base-uri 'none'; form-action 'none'";
}

void add_links(Markup& markup, const std::vector<Link>& links) {
  markup.element("ul", {}, [&] {
    for (const Link& link : links) {
      markup.element("li", {}, [&] { markup.element("a", {{"href", link.address}}, link.title); });
    }
  });
}

void add_others(Markup& markup, const std::vector<Link>& links) {
  if (!links.empty()) markup.element("nav", {{"aria-label", "Pages"}}, [&] { add_links(markup, links); });
}

// Folded where there are so many that they would fill a screen.
void add_contents(Markup& markup, const std::vector<PagePart>& sections) {
  constexpr std::size_t kMostOpen = 40;
  if (sections.size() < 2) return;
  std::vector<Link> links;
  for (const PagePart& section : sections) links.push_back({section.title, "#" + section.id});
  markup.element("nav", {{"aria-label", "Sections"}}, [&] {
    if (links.size() <= kMostOpen) return add_links(markup, links);
    markup.element("details", {}, [&] {
      markup.element("summary", std::to_string(links.size()) + " sections");
      add_links(markup, links);
    });
  });
}

}  // namespace

std::string page_of(const std::string& title, const std::vector<Link>& links, const std::vector<PagePart>& sections,
                    const std::function<void(Markup&)>& introduction) {
  Markup markup;
  markup.raw(kBegin);
  markup.element("html", {{"lang", "en"}}, [&] {
    markup.element("head", {}, [&] {
      markup.empty("meta", {{"charset", "utf-8"}});
      markup.empty("meta", {{"http-equiv", "Content-Security-Policy"}, {"content", policy()}});
      markup.empty("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
      markup.empty("meta", {{"name", "referrer"}, {"content", "no-referrer"}});
      markup.element("title", title);
      markup.element("style", {}, [&] { markup.raw(kStyle); });
    });
    markup.element("body", {}, [&] {
      markup.element("header", {}, [&] {
        add_others(markup, links);
        markup.element("h1", title);
        introduction(markup);
        add_contents(markup, sections);
      });
      markup.element("main", {}, [&] {
        for (const PagePart& section : sections) {
          markup.element("section", {{"id", section.id}}, [&] {
            markup.element("h2", section.title);
            section.write(markup);
          });
        }
      });
      markup.element("script", {}, [&] { markup.raw(kScript); });
    });
  });
  return markup.take();
}

}  // namespace gdbench::document
