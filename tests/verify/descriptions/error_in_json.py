# A comma is missing in the JSON.
import os
import runpy

vary = runpy.run_path(os.path.join(os.path.dirname(os.path.abspath(__file__)), "_vary.py"))["vary"]
globals().update(vary(project_json_src=[('"language": "cpp",', '"language": "cpp"')]))
