#!/usr/bin/perl
# Full-batch linear regression in Perl, with nothing but its core modules: a worker for a language that gdbench knows
# nothing of. The contract is harness/protocol/PROTOCOL.md.
use strict;
use warnings;
use JSON::PP;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC CLOCK_PROCESS_CPUTIME_ID);

my %TYPES = (f32 => {code => 'f<', bytes => 4}, f64 => {code => 'd<', bytes => 8});

my ($type, $rows, $features, $outputs);  # of the data; $type is an entry of %TYPES
my (@x, @y);                             # [rows, features] and [rows, outputs], flat
my ($state, $image_bytes, $bias, @rates, $factor);
my ($step, @weights, @biases);           # [features, outputs] and [outputs]

sub unsupported { die {kind => 'unsupported', message => $_[0]} }

# ---- arrays in shared memory
sub read_array {
    my ($file, $offset, $count) = @_;
    my $bytes = $count * $type->{bytes};
    sysseek($file, $offset, 0) or die "cannot seek: $!\n";
    (sysread($file, my $buffer, $bytes) // -1) == $bytes or die "cannot read $bytes bytes\n";
    return unpack("$type->{code}*", $buffer);
}

sub write_array {
    my ($file, $offset, @values) = @_;
    my $buffer = pack("$type->{code}*", @values);
    sysseek($file, $offset, 0) or die "cannot seek: $!\n";
    (syswrite($file, $buffer) // -1) == length $buffer or die "cannot write: $!\n";
}

# Where w0 and b0 begin in an image: each array at a multiple of 64 bytes.
sub places {
    my ($image) = @_;
    my $weights = $image * $image_bytes;
    my $bytes = $features * $outputs * $type->{bytes};
    return ($weights, $weights + 64 * int(($bytes + 63) / 64));
}

# ---- the requests
sub hello {
    return {
        protocol => {major => 1, minor => 0},
        worker => {build => "perl $^V"},
        plugin => {name => 'perl', version => '1'},
        implementations => [{
            id => 'perl/loop', description => 'linear regression in plain Perl', build => "perl $^V",
            tasks => ['train'], dtypes => ['f32', 'f64'], activations => ['identity'], losses => ['mse', 'half_mse'],
            optimizers => ['sgd'], capabilities => [], max_layers => 1, options => [],
        }],
    };
}

sub load {
    my $data = $_[0]{data};
    ($type, $rows, $features, $outputs) = ($TYPES{$data->{dtype}}, @$data{qw(rows features outputs)});
    open(my $memory, '<:raw', '/dev/fd/5') or die "cannot open the data: $!\n";
    @x = read_array($memory, $data->{x}{offset}, $rows * $features);
    @y = read_array($memory, $data->{y}{offset}, $rows * $outputs);
    return {};
}

sub prepare {
    my ($request) = @_;
    my $problem = $request->{problem};
    unsupported('only full batches') if $problem->{batch_rows} != $rows;
    $bias = $problem->{layers}[0]{bias};
    @rates = @{$problem->{optimizer}{learning_rates}};
    $factor = ($problem->{loss} eq 'mse' ? 2 : 1) / ($rows * $outputs);  # of the gradients
    $image_bytes = $request->{state}{image_bytes};
    open($state, '+<:raw', '/dev/fd/6') or die "cannot open the state: $!\n";
    return {};
}

sub set_state {
    my ($request) = @_;
    my ($weights_at, $biases_at) = places($request->{image});
    $step = $request->{step};
    @weights = read_array($state, $weights_at, $features * $outputs);
    @biases = $bias ? read_array($state, $biases_at, $outputs) : (0) x $outputs;
    return {};
}

sub get_state {
    my ($weights_at, $biases_at) = places($_[0]{image});
    write_array($state, $weights_at, @weights);
    write_array($state, $biases_at, @biases) if $bias;
    return {step => $step};
}

# Prediction less target of one row, for one output.
sub residual {
    my ($row, $output) = @_;
    my $prediction = $biases[$output];
    my $at = $row * $features;
    $prediction += $x[$at + $_] * $weights[$_ * $outputs + $output] for 0 .. $features - 1;
    return $prediction - $y[$row * $outputs + $output];
}

sub train_step {
    my @weight_gradients = (0) x @weights;
    my @bias_gradients = (0) x $outputs;
    for my $row (0 .. $rows - 1) {
        my $at = $row * $features;
        for my $output (0 .. $outputs - 1) {
            my $residual = residual($row, $output);
            $weight_gradients[$_ * $outputs + $output] += $x[$at + $_] * $residual for 0 .. $features - 1;
            $bias_gradients[$output] += $residual;
        }
    }
    my $rate = $factor * $rates[$step < @rates ? $step : -1];
    $weights[$_] -= $rate * $weight_gradients[$_] for 0 .. $#weights;
    if ($bias) { $biases[$_] -= $rate * $bias_gradients[$_] for 0 .. $#biases; }
    # Perl computes in f64; an f32 cell's parameters are f32 after every update.
    @$_ = unpack("$type->{code}*", pack("$type->{code}*", @$_)) for \@weights, \@biases;
    ++$step;
}

# Whole numbers, so that a duration is exactly the difference of its stamps.
sub nanoseconds { return int(clock_gettime($_[0]) * 1e9) }

sub run {
    my ($request) = @_;
    my ($cpu_start, $start) = (nanoseconds(CLOCK_PROCESS_CPUTIME_ID), nanoseconds(CLOCK_MONOTONIC));
    train_step() for 1 .. $request->{steps};
    my ($end, $cpu_end) = (nanoseconds(CLOCK_MONOTONIC), nanoseconds(CLOCK_PROCESS_CPUTIME_ID));
    return {start_ns => $start, end_ns => $end, real_ns => $end - $start, cpu_ns => $cpu_end - $cpu_start};
}

sub evaluate {
    unsupported('only the training split') if $_[0]{split} ne 'train';
    my $squares = 0;
    for my $row (0 .. $rows - 1) {
        $squares += residual($row, $_) ** 2 for 0 .. $outputs - 1;
    }
    return {loss => $squares * $factor / 2};
}

# ---- one answer for each request, until the end
my %ANSWERS = (
    hello => \&hello, load => \&load, prepare => \&prepare, set_state => \&set_state, get_state => \&get_state,
    run => \&run, evaluate => \&evaluate, bye => sub { return {} },
);

my $json = JSON::PP->new->canonical;
open(my $requests, '<&=', 3) or die "descriptor 3 is not open: $!\n";
open(my $answers, '>&=', 4) or die "descriptor 4 is not open: $!\n";
while (my $line = <$requests>) {
    my $request = $json->decode($line);
    my $name = $request->{request};
    my $answer = eval {
        my $handler = $ANSWERS{$name} or unsupported("no request $name");
        return {ok => JSON::PP::true, %{$handler->($request)}};
    };
    if (!$answer) {
        my $error = ref $@ ? $@ : {kind => 'failed', message => $@ =~ s/\s+/ /gr};
        $answer = {ok => JSON::PP::false, error => $error};
    }
    syswrite($answers, $json->encode({%$answer, id => $request->{id}}) . "\n");
    last if $name eq 'bye';
}
