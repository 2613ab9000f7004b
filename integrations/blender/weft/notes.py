"""What could not be carried over, and what was done instead: one line for each material or object."""


class Notes:
    """Sentences by subject, in the order in which they were found."""

    def __init__(self):
        self.by_subject = {}

    def add(self, subject, sentence):
        """Adds a sentence about a subject, such as "Material Oak", unless it is there."""
        sentences = self.by_subject.setdefault(subject, [])
        if sentence not in sentences:
            sentences.append(sentence)

    def lines(self):
        """One line for each subject."""
        return [f"{subject}: {'; '.join(sentences)}" for subject, sentences in self.by_subject.items()]
