"""An agent of a framework buys and serves: `earnest.frameworks.langchain`, `.openai_agents` and `.crewai`.

Each module has `buyer_tools`, which gives an agent the tools `search`, `buy` and `follow`, and `serve`, by which agents answer
orders. Each needs its extra: `pip install 'earnest-client[langchain]'`.
"""
