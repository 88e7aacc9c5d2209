"""The staged analysis of hard questions: plan, stages, evidence checks, and an answer with its queries."""
