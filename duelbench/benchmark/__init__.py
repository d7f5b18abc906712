"""What a run costs: timing of compiled runs, and the suite that duelbench measures itself by."""
