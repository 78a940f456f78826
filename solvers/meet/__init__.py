"""Where two kinds of matter meet, they push each other: exchange of momentum at shared grid nodes."""
