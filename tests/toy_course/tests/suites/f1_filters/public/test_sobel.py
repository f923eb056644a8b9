"""f1.sobel, public criteria: shapes and values."""

B, R, C = 2, 5, 6


class TestShapes:
    def test_output(self, student, probe, expect):
        """(B, R, C) becomes two tensors (B, R-2, C-2)."""
        for found in expect.items(student.sobel(probe.randn(B, R, C)), 2):
            expect.shape(found, (B, R - 2, C - 2), what="result")


class TestOutputs:
    def test_values(self, student, reference, probe, expect):
        """The values are right."""
        expect.matches(student.sobel, reference.sobel, probe.randn(B, R, C))
