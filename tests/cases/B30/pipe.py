"""Pass votes to the command by pipes, as a shell does for <(…), and by a named one."""

import os
import subprocess
import sys
import threading
from pathlib import Path

COMMAND = [sys.executable, "-m", "duelbench", "rank"]
end, begin = os.pipe()
os.write(begin, Path("bt.csv").read_bytes())
os.close(begin)
subprocess.run([*COMMAND, f"/dev/fd/{end}"], pass_fds=[end], check=True)
os.mkfifo("votes.fifo")
votes = b"first,second,wins_first,wins_second\nx,y,?,1\nx,y,1,1\n"
threading.Thread(target=Path("votes.fifo").write_bytes, args=[votes]).start()
subprocess.run([*COMMAND, "votes.fifo", "--strict"], check=False)
