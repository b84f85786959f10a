"""The two records printed in Cohen et al. (2004)."""

from __future__ import annotations

# figure 1 of Cohen et al. 2004, line breaks and remarks included
FIGURE_1 = """ID: 136
name_vs_symbol: n
length: 3
case: a
contains_a_numeral: y
contains_Arabic_numeral: y
Arabic_numeral_position: f
contains_Roman_numeral:
<several typographic features omitted>
contains_punctuation: 1
contains_hyphen: 1
contains_forward_slash:
<several punctuation-related features omitted>
contains_function_word:
function_word_position:
contains_past_participle: 1
past_participle_position: i
contains_present_participle:
present_participle_position:
source_authority: HGNC ID: 2681 "Approved Gene
Name" field
original_form_in_source:
                               death-associated
protein 6
data: death-associated protein 6
"""

# figure 2
FIGURE_2 = """ID: 25
type: tp
total_number_of_names: 1
list_context:
position: I
typographic_context:
appositive:
source_id: PMID: 14702106
source_type: title
original_form_in_source: Stat-3 is required
for pulmonary homeostasis during hyperoxia.
slots: <> is required for pulmonary
homeostasis during hyperoxia.
"""
