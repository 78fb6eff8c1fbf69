# What prove prints, and then one plain line with the totals over all TAP: "N passed, N failed". A test program that
# dies, times out or breaks its plan counts as one failure even when each of its own lines was fine.
package Totals;
use strict;
use warnings;
use parent 'TAP::Harness';

sub summary {
    my ($self, $aggregate, @rest) = @_;
    $self->SUPER::summary($aggregate, @rest);
    my $failed = $aggregate->failed;
    for my $parser ($aggregate->parsers($aggregate->descriptions)) {
        $failed++ if $parser->has_problems && !$parser->failed;
    }
    printf "%d passed, %d failed\n", scalar($aggregate->passed), $failed;
}

1;
