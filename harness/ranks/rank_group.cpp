#include "harness/ranks/rank_group.h"

#include <poll.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "harness/base/text.h"
#include "harness/protocol/message_fields.h"
#include "harness/protocol/process_files.h"
#include "harness/ranks/progress.h"
#include "harness/ranks/sockets.h"

namespace gdbench::ranks {

namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kStartLimit{30};
constexpr std::chrono::milliseconds kAcceptStep{50};
constexpr std::chrono::seconds kGrace{1};       // for the others once one has failed
constexpr std::chrono::seconds kLate{2};        // to answer, after which it is said who is
constexpr std::chrono::seconds kLastWords{10};  // of a launcher, once a rank has ended
constexpr double kLauncherEndSeconds = 2;
constexpr double kAdapterEndSeconds = 2;

// Of the words that launchers end with: "exited on signal 9", "EXIT STRING: Killed (signal 9)".
std::optional<int> signal_in(const std::string& text) {
  const std::string word = "signal ";
  const std::size_t at = text.rfind(word);
  if (at == std::string::npos) return std::nullopt;
  const std::size_t first = at + word.size();
  const std::size_t end = std::min(text.find_first_not_of("0123456789", first), text.size());
  return number_of<int>(std::string_view(text).substr(first, end - first));
}

bool is_stopped(pid_t process) {
  std::ifstream file(cat("/proc/", process, "/stat"));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end != std::string::npos && text.compare(name_end, 3, ") T") == 0;
}

Progress* lines_of(const SharedMemory& memory) { return reinterpret_cast<Progress*>(memory.data()); }

}  // namespace

Result<std::unique_ptr<RankGroup>> RankGroup::start(const Library& library, int count, std::vector<std::string> command,
                                                    int data, const SharedMemory& state) {
  auto group = std::make_unique<RankGroup>();
  group->launcher_name_ = library.launcher();
  group->scratch_ = TRY(ScratchFolder::make_in_memory("gdbench-ranks"));
  TRY(group->gather(count, std::move(command), library));
  TRY(group->introduce(library));
  TRY(group->share(data, state));
  return group;
}

void RankGroup::Member::connect(UniqueDescriptor by) {
  connection = std::move(by);
  channel = protocol::Channel(connection.number(), connection.number());
}

Result<std::unique_ptr<RankGroup>> RankGroup::start_adapters(const std::vector<std::string>& command, int count,
                                                             int data, const SharedMemory& state) {
  auto group = std::make_unique<RankGroup>();
  for (int rank = 0; rank < count; ++rank) {
    Member& member = group->members_.emplace_back();
    if (rank > 0) member.state = TRY(SharedMemory::create("gdbench-state", state.size()));
    auto [ours, theirs] = TRY(connected_pair());
    member.adapter = TRY(protocol::Process::start(
        command,
        {{theirs.number(), protocol::kRequestDescriptor},
         {theirs.number(), protocol::kResponseDescriptor},
         {data, protocol::kDataDescriptor},
         {rank > 0 ? member.state->descriptor() : state.descriptor(), protocol::kStateDescriptor}},
        {}));
    member.process = member.adapter.pid();
    member.connect(std::move(ours));
  }
  return group;
}

// Starts them and waits until all have connected, in any order.
Status RankGroup::gather(int count, std::vector<std::string> command, const Library& library) {
  Listener listener = TRY(Listener::open());
  command.push_back(listener.name());
  launcher_ = TRY(protocol::Process::start(library.launch_command(count, scratch_.path(), command), {}, {}));
  const auto deadline = steady_clock::now() + kStartLimit;
  while (members_.size() < static_cast<std::size_t>(count)) {
    UniqueDescriptor connection = TRY(listener.accept(kAcceptStep));
    if (connection.is_open()) {
      Member& member = members_.emplace_back();
      member.process = peer_of(connection);
      member.connect(std::move(connection));
    } else if (launcher_.has_ended()) {
      return failure(cat(launcher_name_, " started no ranks: ", end_of_launcher()));
    } else if (steady_clock::now() > deadline) {
      return failure(cat(launcher_name_, " started ", members_.size(), " of ", count, " ranks within ",
                         kStartLimit.count(), " s"));
    }
  }
  return {};
}

// They join each other and say which rank each is; from here on members_ is in order of ranks.
Status RankGroup::introduce(const Library& library) {
  for (std::size_t i = 0; i < members_.size(); ++i) TRY(send(i, {{"transport", library.transport.string()}}));
  const std::vector<Json> answers = TRY(collect(members_.size()));
  std::vector<Member> in_order(members_.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const auto rank = answers[i].value("rank", std::size_t{0});
    if (answers[i].value("count", std::size_t{0}) != members_.size() || rank >= in_order.size() ||
        in_order[rank].connection.is_open()) {
      return failure(cat(launcher_name_, " numbered its processes wrongly: one is rank ", rank, " of ",
                         answers[i].value("count", std::size_t{0}), ", there are ", members_.size()));
    }
    in_order[rank] = std::move(members_[i]);
    in_order[rank].joining_threads = protocol::threads_of(in_order[rank].process);
    version_ = answers[i].value("version", "");
  }
  members_ = std::move(in_order);
  return {};
}

Status RankGroup::share(int data, const SharedMemory& state) {
  progress_ = TRY(SharedMemory::create("gdbench-ranks", members_.size() * sizeof(Progress)));
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    Member& member = members_[rank];
    if (rank > 0) member.state = TRY(SharedMemory::create("gdbench-state", state.size()));
    const int own_state = rank > 0 ? member.state->descriptor() : state.descriptor();
    TRY(send_descriptors(member.connection, {data, own_state, progress_->descriptor()}));
  }
  return {};
}

Status RankGroup::check_threads(int declared) const {
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    const int threads = 1 + protocol::threads_of(members_[rank].process) - members_[rank].joining_threads;
    if (threads <= declared) continue;
    return Error{ErrorKind::untrusted, cat("rank ", rank, " has ", threads, " threads, declared ", declared)};
  }
  return {};
}

Status RankGroup::send(std::size_t rank, const OrderedJson& message) {
  if (rank >= members_.size()) return Error{ErrorKind::crashed, "the ranks have ended"};
  if (members_[rank].channel.send(message).ok()) return {};
  return ended(rank);
}

Result<std::vector<Json>> RankGroup::ask(const std::vector<OrderedJson>& messages) {
  if (messages.empty()) return Error{ErrorKind::crashed, "the ranks have ended"};
  for (std::size_t rank = 0; rank < messages.size(); ++rank) TRY(send(rank, messages[rank]));
  return collect(messages.size());
}

Result<Json> RankGroup::ask_first(const OrderedJson& message) {
  TRY(send(0, message));
  std::vector<Json> answers = TRY(collect(1));
  return std::move(answers.front());
}

namespace {

// What those that refused say: in common, or the first one of them.
Error refusal_of(const std::vector<std::optional<Json>>& answers) {
  std::optional<Error> first;
  bool same = true;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (!answers[rank] || answers[rank]->value("ok", false)) {
      same = false;
      continue;
    }
    const Result<protocol::Outcome> outcome = protocol::message_from<protocol::Outcome>(*answers[rank], "rank");
    const Error error = outcome.ok() ? protocol::error_of(outcome->error) : outcome.error();
    if (!first) {
      first = Error{error.kind, cat("rank ", rank, ": ", error.message)};
    } else if (!first->message.ends_with(": " + error.message)) {
      same = false;
    }
  }
  if (same && first) first->message.erase(0, first->message.find(": ") + 2);
  return first.value_or(failure("a rank failed without a reason"));
}

}  // namespace

Result<std::vector<Json>> RankGroup::collect(std::size_t count) {
  std::vector<std::optional<Json>> answers(count);
  std::optional<steady_clock::time_point> given_up;
  auto next_word = steady_clock::now() + kLate;
  for (;;) {
    std::vector<pollfd> waited;
    std::vector<std::size_t> ranks;
    for (std::size_t rank = 0; rank < count; ++rank) {
      if (answers[rank]) continue;
      waited.push_back({members_[rank].connection.number(), POLLIN, 0});
      ranks.push_back(rank);
    }
    if (waited.empty() || (given_up && steady_clock::now() > *given_up)) break;
    poll(waited.data(), waited.size(), 100);
    for (std::size_t i = 0; i < waited.size(); ++i) {
      if (waited[i].revents == 0) continue;
      Result<Json> answer = members_[ranks[i]].channel.receive(std::chrono::milliseconds(0), nullptr);
      // What adapters say once another one of them has ended is about that.
      const bool is_adapter = members_[ranks[i]].adapter.running();
      if (!answer.ok()) return given_up && !is_adapter ? refusal_of(answers) : ended(ranks[i]);
      if (!answer->value("ok", false) && !given_up) given_up = steady_clock::now() + kGrace;
      answers[ranks[i]] = std::move(*answer);
    }
    if (steady_clock::now() < next_word) continue;
    next_word += 5 * kLate;
    name_who_is_late(answers);
  }
  if (given_up) return refusal_of(answers);
  std::vector<Json> all;
  for (std::optional<Json>& answer : answers) all.push_back(std::move(*answer));
  return all;
}

// A launcher says how a process of its ended, in words of its own.
std::string RankGroup::end_of_launcher() {
  const protocol::ProcessEnd end = launcher_.finish(kLauncherEndSeconds);
  const std::string line = launcher_.last_output_line();
  return line.empty() ? end.text() : cat(end.text(), ": ", line);
}

// Where the launcher does not say how, it may have been the launcher that ended it.
Error RankGroup::ended(std::size_t rank) {
  const pid_t process = members_[rank].process;
  const std::string who = cat("rank ", rank, " (process ", process, ") ");
  if (protocol::Process& adapter = members_[rank].adapter; adapter.running()) {
    const protocol::ProcessEnd end = adapter.finish(kAdapterEndSeconds);
    const std::string line = adapter.last_output_line();
    members_.clear();
    return Error{ErrorKind::crashed, cat(who, "ended with ", end.text(), line.empty() ? "" : ": ", line)};
  }
  const auto deadline = steady_clock::now() + kLastWords;
  while (!launcher_.has_ended() && !signal_in(launcher_.output_tail()) && steady_clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const std::optional<int> signal = signal_in(launcher_.output_tail());
  const bool ended_too = launcher_.has_ended();
  const protocol::ProcessEnd end = launcher_.finish(0);
  std::string how = "ended";
  if (signal) {
    how = cat("was ended by signal ", *signal, " (", strsignal(*signal), ")");
  } else if (ended_too) {
    how = cat("ended, ", launcher_name_, " with ", end.text());
  }
  members_.clear();
  return Error{ErrorKind::crashed, who + how};
}

void RankGroup::name_who_is_late(const std::vector<std::optional<Json>>& answers) const {
  const auto entered_by = [&](std::size_t rank) {
    return progress_ ? lines_of(*progress_)[rank].entered.load(std::memory_order_relaxed) : 0;
  };
  std::uint64_t most = 0;
  for (std::size_t rank = 0; rank < answers.size(); ++rank) most = std::max(most, entered_by(rank));
  for (std::size_t rank = 0; rank < answers.size(); ++rank) {
    if (answers[rank]) continue;
    const std::uint64_t entered = entered_by(rank);
    const pid_t process = members_[rank].process;
    if (is_stopped(process)) {
      std::fprintf(stderr, "rank %zu (process %d) is stopped\n", rank, process);
      return;
    }
    if (entered == most) continue;
    std::fprintf(stderr, "rank %zu (process %d) did not reach all-reduce %llu, where others wait\n", rank, process,
                 static_cast<unsigned long long>(entered + 1));
    return;
  }
}

Status RankGroup::finish() {
  for (std::size_t rank = 0; rank < members_.size(); ++rank) {
    protocol::Process& adapter = members_[rank].adapter;
    if (!adapter.running()) continue;
    const protocol::ProcessEnd end = adapter.finish(kAdapterEndSeconds);
    if (!end.is_success()) return Error{ErrorKind::crashed, cat("rank ", rank, ": ", end.text())};
  }
  if (!launcher_.running()) return {};
  const protocol::ProcessEnd end = launcher_.finish(kLauncherEndSeconds);
  members_.clear();
  if (end.is_success()) return {};
  return Error{ErrorKind::crashed, cat(launcher_name_, ": ", end.text())};
}

}  // namespace gdbench::ranks
